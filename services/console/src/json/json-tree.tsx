import type { ReactNode } from 'react';
import { isRawNumber } from './exact.ts';

interface Props {
  value: unknown;
  label: string;
  /** What stands behind a leaf, by its path. */
  behind?: (path: string[], value: unknown) => ReactNode;
}

const openedLevels = 3;
const mostOpened = 50;

/** JSON whose objects and arrays fold. Large ones and deep ones are folded at first. */
export const JsonTree = ({ label, ...tree }: Props) => (
  <section className="json-tree" aria-label={label}>
    <Value {...tree} path={[]} />
  </section>
);

function Value({ value, path, behind }: Omit<Props, 'label'> & { path: string[] }) {
  const level = path.length;
  const name = path.at(-1);
  const key = name !== undefined && <span className="token-name">{name}: </span>;
  if (typeof value !== 'object' || value === null || isRawNumber(value))
    return (
      <div className="json-leaf">
        {key}
        <span className={`token-${typeof value === 'string' ? 'string' : 'number'}`}>
          {JSON.stringify(value)}
        </span>
        {behind?.(path, value)}
      </div>
    );
  const isArray = Array.isArray(value);
  const children = Object.entries(value);
  return (
    <details open={level === 0 || (level < openedLevels && children.length <= mostOpened)}>
      <summary>
        {key}
        {isArray ? `[${children.length}]` : `{${children.length}}`}
      </summary>
      {children.map(([childName, child]) => (
        <Value key={childName} path={[...path, childName]} value={child} behind={behind} />
      ))}
    </details>
  );
}
