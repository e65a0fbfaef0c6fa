import type { ReactNode } from 'react';

/** Bars of one kind. The next layer is drawn above them. */
export interface Layer {
  counts: number[];
  className?: string;
  /** A colour of the theme. */
  color?: string;
}

/** How many uploads were stored, refused and lost, in layers. */
export const layersOf = (accepted: number[], refused: number[], lost: number[]): Layer[] => [
  { counts: accepted, className: 'accepted' },
  { counts: refused, className: 'refused' },
  { counts: lost, className: 'lost' },
];

/** An outline of all bars: each is as high as its count, from a base on. */
const toPath = (counts: number[], yOf: (count: number) => number, base: number[], scale: number) =>
  counts
    .map((count, bar) => {
      // A small count among large ones has a visible bar too.
      const size = count === 0 ? 0 : Math.max(count * scale, 1);
      return size && `M${bar + 0.08},${yOf(base[bar] ?? 0)}v${-size}h0.84v${size}z`;
    })
    .filter(Boolean)
    .join('');

/** Draws layers, one bar a unit wide. `beside`: counts that must fit too. `yOf`: where a count ends. */
export function drawLayers(
  layers: Layer[],
  height: number,
  beside: number[] = [],
): { drawn: ReactNode; most: number; yOf: (count: number) => number } {
  const bases: number[][] = [[]];
  for (const { counts } of layers) {
    const below = bases.at(-1) as number[];
    bases.push(counts.map((one, bar) => one + (below[bar] ?? 0)));
  }
  const most = Math.max(0, ...(bases.at(-1) as number[]), ...beside);
  const scale = (height - 2) / Math.max(1, most);
  const yOf = (count: number) => height - count * scale;
  const drawn = layers.map(({ counts, className, color }, at) => (
    <path
      // biome-ignore lint/suspicious/noArrayIndexKey: layers stay in their order
      key={at}
      className={className}
      fill={color && `var(--mantine-color-${color})`}
      d={toPath(counts, yOf, bases[at] as number[], scale)}
    />
  ));
  return { drawn, most, yOf };
}
