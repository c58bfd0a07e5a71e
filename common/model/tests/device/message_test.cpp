// The words of messages. Other tests compare codes only.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "printed_message.hpp"
#include "simt/json.hpp"

namespace simt {
namespace {

struct Words { const char *name, *text, *help; };

constexpr std::array all_words{
#define SIMT_MESSAGE(code, text, help) Words{#code, text, help},
#include "simt/messages.def"
#undef SIMT_MESSAGE
};

/// The style of each field of a text, as "name:style" or "name".
std::vector<std::string> fields_of(std::string_view text) {
    std::vector<std::string> fields;
    for (std::size_t begin = text.find('{'); begin != text.npos; begin = text.find('{', begin + 1))
        fields.emplace_back(text.substr(begin + 1, text.find('}', begin) - begin - 1));
    return fields;
}

TEST(Messages, AreWellFormed) {
    const std::set<std::string> styles{"", "bytes", "past", "hex", "does", "size", "each"};
    std::set<std::string> texts;
    for (const Words& words : all_words) {
        SCOPED_TRACE(words.name);
        const std::string_view text = words.text, help = words.help;
        EXPECT_EQ(std::ranges::count(text, '{'), std::ranges::count(text, '}'));
        EXPECT_EQ(std::ranges::count(text, '['), std::ranges::count(text, ']'));
        EXPECT_FALSE(text.empty() || text.ends_with('.')) << "a text is no sentence";
        EXPECT_TRUE(help.empty() || help.ends_with('.')) << "a help is one";
        for (const std::string& field : fields_of(text)) {
            const std::size_t colon = std::min(field.find(':'), field.size());
            EXPECT_TRUE(styles.contains(field.substr(std::min(colon + 1, field.size())))) << field;
        }
        const auto code = find_message_code(words.name);
        ASSERT_TRUE(code);
        EXPECT_STREQ(name_of(*code), words.name);
    }
    EXPECT_FALSE(find_message_code("no_such_code"));
}

TEST(Messages, PutTheirFieldsIntoWords) {
    using enum MessageCode;
    const auto access = [](MessageCode code, std::uint64_t distance) {
        return Message(
                   code,
                   {{"thread", Extent{8, 0, 0}}, {"operation", Operation::store}, {"bytes", 4}, {"distance", distance}, {"extent", 160}})
            .text();
    };
    EXPECT_EQ(access(past_allocation, 0), "thread (8, 0, 0) writes 4 bytes right behind the end of an allocation of 160 bytes");
    EXPECT_EQ(access(past_allocation, 1), "thread (8, 0, 0) writes 4 bytes 1 byte past the end of an allocation of 160 bytes");
    EXPECT_EQ(access(before_allocation, 12), "thread (8, 0, 0) writes 4 bytes 12 bytes before an allocation of 160 bytes");
    EXPECT_EQ(Message(race_in_shared_memory, {{"first_thread", Extent{32, 0, 0}},
                                              {"first", Operation::atomic},
                                              {"second_thread", Extent{0, 0, 0}},
                                              {"second", Operation::load}})
                  .text(),
              "thread (32, 0, 0) updates and thread (0, 0, 0) reads the same shared memory with no barrier between them");
    EXPECT_EQ(
        Message(
            block_too_large,
            {{"kernel", "guarded"}, {"machine", "sm_90"}, {"block_size", Extent{1025, 1, 1}}, {"error", "cudaErrorInvalidConfiguration"}})
            .text(),
        "kernel guarded was not launched: no block of sm_90 has 1025 x 1 x 1 threads (cudaErrorInvalidConfiguration)");
    EXPECT_EQ(Message(host_accesses_device_memory, {{"operation", unknown_operation}, {"address", 0x7f00}}).text(),
              "host code accesses device memory at 0x7f00; copy it with cudaMemcpy");
}

TEST(Messages, LeaveOutWhatIsNotKnown) {
    Message message(MessageCode::race_between_blocks, {{"first_block", Extent{2, 0, 0}},
                                                       {"first", Operation::store},
                                                       {"second_block", Extent{5, 0, 0}},
                                                       {"second_thread", Extent{3, 0, 0}},
                                                       {"second", Operation::load}});
    EXPECT_EQ(message.text(),
              "block (2, 0, 0) writes and block (5, 0, 0), thread (3, 0, 0), reads the same global memory; blocks run in no order");
    message = {MessageCode::instruction_not_supported, {{"instruction", "multimem.red"}, {"kernel", "k"}}};
    EXPECT_EQ(message.text(), "the instruction multimem.red is not supported, in kernel k");
    message.fields.insert(message.fields.end(), {{"part", "registers"}, {"file", "a.cu"}, {"line", 3}});
    EXPECT_EQ(message.text(), "the instruction multimem.red is not supported with its registers, in kernel k, a.cu:3");
    EXPECT_EQ(Message(MessageCode::rank_has_left).text(), "rank {rank} has left") << "a field that is always there";
}

TEST(Messages, MayConsistOfOthers) {
    const std::vector<Message> waiting{{MessageCode::waits_at_block_barrier, {{"thread", Extent{0, 0, 0}}}},
                                       {MessageCode::waits_for_phase, {{"thread", Extent{32, 0, 0}}}}};
    EXPECT_EQ(Message(MessageCode::threads_wait, {{"waiting", waiting}}).text(),
              "thread (0, 0, 0) waits at a block barrier; thread (32, 0, 0) waits for a phase of an mbarrier that never completes");
}

TEST(Messages, AreTheSameBackFromJson) {
    const Message inner(MessageCode::send, {{"bytes", 1024}, {"peer", 1}, {"number", 1}, {"rank", 0}});
    const Message message(
        MessageCode::message_waits,
        {{"message", std::vector{inner}}, {"text", "of \"any\" kind"}, {"below", -3}, {"large", UINT64_MAX}, {"extent", Extent{1, 2, 3}}});
    const auto json = nlohmann::json::parse(to_json(message).dump());
    EXPECT_EQ(json.get<Message>(), message);
    EXPECT_EQ(json.at("message"), message.text());
    EXPECT_NE(json.get<Message>(), inner);
}

}  // namespace
}  // namespace simt
