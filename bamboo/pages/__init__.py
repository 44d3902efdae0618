"""What all HTML pages share: folder, rendering, charts, and the explorer of pairs."""
