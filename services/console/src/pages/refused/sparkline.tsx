import { words } from '../../words/en.ts';

const [width, height] = [48, 12];

/** The counts of the last 24 hours, as a drawing beside the text that says their sum. */
export function Sparkline({ counts }: { counts: number[] }) {
  const most = Math.max(...counts, 1);
  const step = width / counts.length;
  const said = words.refused.lastDayOf(counts.reduce((sum, count) => sum + count, 0));
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={said}>
      <title>{said}</title>
      {counts.map((count, hour) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: hours stay in their order
          key={hour}
          x={hour * step}
          width={step - 0.5}
          y={height - Math.max((count / most) * height, count > 0 ? 1 : 0.5)}
          height={height}
        />
      ))}
    </svg>
  );
}
