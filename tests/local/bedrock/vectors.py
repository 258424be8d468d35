"""How far two vectors of one text may be apart: matrix products round differently for batches of another shape."""

from __future__ import annotations

# Which kernel a product takes, and so in which order it adds, depends on the processor and on the number of rows.
# A sum of n float32 terms is off by about √n · 2⁻²⁴ of its scale (Higham, Accuracy and Stability of Numerical
# Algorithms, 2.8). Six layers of six products each, of at most 1,536 terms, follow one another, and each layer's norm
# restores the scale: √36 · √1536 · 2⁻²⁴ = 1.4e-5 of a value. A value of a unit vector of 384 is about 1 / √384, which
# makes 7e-7, and √2 times that between two calls. Ten times that covers the largest of many thousand values, and the
# seven digits that the model's own form keeps on the wire (5e-8). A text of one word more is 1e-3 away.
UNIT_VECTOR_TOLERANCE = 1e-5
