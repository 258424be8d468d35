"""Measures contrast in the page: WCAG 2.2, 1.4.3 (https://www.w3.org/TR/WCAG22/#contrast-minimum)."""

from __future__ import annotations

# Text in sight whose contrast with the nearest opaque background is below 4.5; the rail and the sign-in view lie on
# pictures, so there the darkest and the brightest thing that text can lie on are given by hand.
CONTRASTS = """
(body) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((value, index) => value * a + under[index] * (1 - a));
  const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ratio = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const variable = (name) => rgba(getComputedStyle(document.documentElement).getPropertyValue(name).trim()).slice(0, 3);
  const background = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const color = rgba(getComputedStyle(each).backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] === 1) break;
      if (each.id === "rail") { layers.push([...variable("--evening-low"), 1]); break; }
    }
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const low = [];
  for (const element of body.querySelectorAll("*")) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const style = getComputedStyle(element);
    if (!text || !element.checkVisibility({ visibilityProperty: true }) || style.fontSize === "0px") continue;
    if (element.closest(":disabled")) continue;
    const under = background(element);
    const found = ratio(over(rgba(style.color), under), under);
    if (found < 4.5) low.push(`${element.tagName}.${element.className} ${found.toFixed(2)}`);
  }
  return low;
}
"""
