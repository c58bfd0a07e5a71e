// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "conditions.hpp"

#include <algorithm>
#include <vector>

namespace simt::translate {

namespace {

/// The macro that the headers of the model define, and nobody else.
constexpr std::string_view model_macro = "CONFLICT_FREE_SIMT";

using Truth = std::optional<bool>;

Truth opposite(Truth truth) { return truth ? Truth(!*truth) : truth; }

/// `left && right` if `decisive` is false, `left || right` if it is true: one operand that is `decisive` is enough.
Truth combine(Truth left, Truth right, bool decisive)
{
    if (left == decisive || right == decisive) return decisive;
    return left && right ? Truth(!decisive) : std::nullopt;
}

Truth is_defined(std::string_view macro) { return macro == model_macro ? Truth(true) : std::nullopt; }

/// Reads the condition of an `#if` as far as that is possible without other macros.
class Condition {
public:
    explicit Condition(std::string_view text)
    {
        for (const Token& token : tokenize(text))
            if (token.kind != TokenKind::space) texts_.push_back(token.text);
    }

    Truth value()
    {
        // These would need their precedence.
        if (std::ranges::any_of(texts_, [](std::string_view text) { return text == "?" || text == ","; })) return std::nullopt;
        const Truth truth = any_of_several();
        return at_ == texts_.size() ? truth : std::nullopt;
    }

private:
    bool takes(std::string_view wanted)
    {
        if (at_ == texts_.size() || texts_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    bool takes_twice(std::string_view character)
    {
        if (at_ + 1 >= texts_.size() || texts_[at_] != character || texts_[at_ + 1] != character) return false;
        at_ += 2;
        return true;
    }
    bool ends_operand() const
    {
        if (at_ == texts_.size() || texts_[at_] == ")") return true;
        const std::string_view text = texts_[at_];
        return (text == "&" || text == "|") && at_ + 1 < texts_.size() && texts_[at_ + 1] == text;
    }

    Truth any_of_several()
    {
        Truth truth = all_of_several();
        while (takes_twice("|")) truth = combine(truth, all_of_several(), true);
        return truth;
    }
    Truth all_of_several()
    {
        Truth truth = operand();
        while (takes_twice("&")) truth = combine(truth, operand(), false);
        return truth;
    }
    /// Comparisons and arithmetic are passed over: nothing is known of them.
    Truth operand()
    {
        const Truth truth = simple_operand();
        if (ends_operand()) return truth;
        for (int depth = 0; at_ < texts_.size() && (depth > 0 || !ends_operand()); ++at_)
            depth += texts_[at_] == "(" ? 1 : texts_[at_] == ")" ? -1 : 0;
        return std::nullopt;
    }
    Truth simple_operand()
    {
        if (takes("!")) return opposite(simple_operand());
        if (takes("(")) {
            const Truth truth = any_of_several();
            return takes(")") ? truth : std::nullopt;
        }
        if (at_ == texts_.size()) return std::nullopt;
        const std::string_view word = texts_[at_++];
        if (word == "defined") {
            const bool in_parentheses = takes("(");
            const Truth truth = at_ < texts_.size() ? is_defined(texts_[at_++]) : std::nullopt;
            return !in_parentheses || takes(")") ? truth : std::nullopt;
        }
        if (word == "0" || word == "false") return false;
        if (word == "1" || word == "true" || word == model_macro) return true;
        return std::nullopt;
    }

    std::vector<std::string_view> texts_;
    std::size_t at_ = 0;
};

}  // namespace

bool opens_branch(const Directive& directive) { return directive.name.starts_with("if") || directive.name.starts_with("el"); }

std::optional<bool> branch_condition(const Directive& directive)
{
    if (directive.name == "else") return true;
    if (directive.name == "if" || directive.name == "elif") return Condition(directive.rest).value();
    const std::vector<Token> argument = tokenize(directive.rest);
    const Truth defined = argument.empty() ? std::nullopt : is_defined(argument.front().text);
    return directive.name.ends_with("ndef") ? opposite(defined) : defined;
}

}  // namespace simt::translate
