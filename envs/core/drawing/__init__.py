"""Pictures of tables.

``scene.py`` is what a game says of a table, ``picture.py`` draws it as SVG, ``pixels.py`` makes images and
animations of it. Nothing here is compiled, and what makes pixels is imported when the first are made.
"""
