"""Where in a table the value of a placement is: placements <-> numbers, the mirror taken out.

Let a table have the axes 0 … k-1, and let S(i) be the squares of axis i, ascending, as in
:class:`~tablebase.materials.classes.TableClass`. A *cell* is one square of each S(i). It has the
number

    number(s) = sum over i of  (how many squares of S(i) are below s(i)) * |S(i+1)| * … * |S(k-1)|

the C-order index in an array of the shape |S(0)|, …, |S(k-1)|; so cells and the numbers below
|S(0)| * … * |S(k-1)| are each other's in one way only.

A *legal placement* has each animal on its own square. A cell with an animal twice on a square is
none; the others are exactly the legal placements whose first animal (that of axis 0) stands on
files a to d, since S(0) holds those files only. A placement whose first animal stands on files e to
g has the number of its mirror image, which has the same value. So

* every legal placement has exactly one number, and no two on files a to d have the same;
* of ``placements`` legal ones, of which ``middle`` have the first animal on file d,
  ``(placements + middle) / 2`` are stored: those on file d with their mirror images.

:class:`Placing` leads from a material, in its own colours and order, to these numbers and back.
"""

from __future__ import annotations

from tablebase.index.placing import ILLEGAL, Placing, is_mirrored

__all__ = ["ILLEGAL", "Placing", "is_mirrored"]
