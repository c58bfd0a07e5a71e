// Tells the judge of an error whose fields have wrong types.

#include <cstddef>
#include <cstring>

extern "C" long send(int, const void*, std::size_t, int);
extern "C" long recv(int, void*, std::size_t, int);

GRADED_DECLARATION
{
    const char note[] = R"({"code": "function_without_body", "fields": {"callee": 3, "file": 4, "line": "five"}})";
    const unsigned head[] = {27, sizeof note - 1 + 4, sizeof note - 1};
    char message[256];
    std::memcpy(message, head, sizeof head);
    std::memcpy(message + sizeof head, note, sizeof note - 1);
    for (int descriptor = 3; descriptor < 256; ++descriptor) {
        if (send(descriptor, message, sizeof head + sizeof note - 1, 0) < 0) continue;
        recv(descriptor, message, 8, 0);
        return;
    }
}
