#include "conflict_free/matrix_chapter.hpp"

template class conflict_free::MatrixChapter<float>;
