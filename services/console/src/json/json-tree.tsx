import { isRawNumber } from './exact.ts';

interface Props {
  value: unknown;
  label: string;
}

const openedLevels = 3;
const mostOpened = 50;

/** JSON whose objects and arrays fold. Large ones and deep ones are folded at first. */
export const JsonTree = ({ value, label }: Props) => (
  <section className="json-tree" aria-label={label}>
    <Value value={value} level={0} />
  </section>
);

function Value({ name, value, level }: { name?: string; value: unknown; level: number }) {
  const key = name !== undefined && <span className="token-name">{name}: </span>;
  if (typeof value !== 'object' || value === null || isRawNumber(value))
    return (
      <div className="json-leaf">
        {key}
        <span className={`token-${typeof value === 'string' ? 'string' : 'number'}`}>
          {JSON.stringify(value)}
        </span>
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
        <Value key={childName} name={childName} value={child} level={level + 1} />
      ))}
    </details>
  );
}
