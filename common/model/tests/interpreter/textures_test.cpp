#include <gtest/gtest.h>

#include "interpreter/textures/textures.hpp"

namespace {

using namespace simt;

// A sanitizer ends this test if a null pointer reaches memcpy.
TEST(Arrays, CopyNothingFromAndToNull) {
    memory::Textures& textures = memory::Textures::instance();
    ArrayShape shape;
    shape.format = {ChannelFormat::Kind::floating_point, {32, 0, 0, 0}};
    shape.width = 4;
    shape.height = 2;
    const int array = textures.create_array(shape);
    ArrayBox box;
    box.height = 2;
    box.depth = 1;
    textures.copy_to(array, box, nullptr, 0, 0);
    textures.copy_from(array, box, nullptr, 0, 0);
    EXPECT_TRUE(textures.destroy_array(array));
}

}  // namespace
