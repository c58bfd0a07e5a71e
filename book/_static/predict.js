// Lets a reader try the numbers of a prediction: right, or a hint. Without JavaScript there are no fields, and the answer stays folded.
"use strict";

for (const part of document.querySelectorAll(".predict .try")) {
  part.hidden = false;
  for (const input of part.querySelectorAll("input")) {
    const said = input.closest("p").querySelector("output");
    input.addEventListener("change", () => {
      if (input.value === "") {
        said.textContent = said.className = "";
        return;
      }
      const given = Number(input.value);
      const isRight = given === Number(input.dataset.right);
      const hint = Object.entries(JSON.parse(input.dataset.hints)).find(([wrong]) => Number(wrong) === given)?.[1];
      said.textContent = isRight ? "Right." : `Not ${input.value}. ${hint ?? ""}`.trim();
      said.className = isRight ? "right" : "wrong";
    });
  }
}
