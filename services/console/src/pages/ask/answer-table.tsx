import { useState } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { words } from '../../words/en.ts';
import type { QuestionAnswer } from './answer.ts';
import { kindOfType } from './chart-points.ts';

/** Thousands of rows at once would hold the page up. */
const rowsAtOnce = 500;
/** Longest text in a cell. */
const cellLength = 200;

const toText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function Cell({ value, isNumber }: { value: unknown; isNumber: boolean }) {
  if (value === null) return <td className={isNumber ? 'number absent' : 'absent'}>NULL</td>;
  const text = toText(value);
  const shown = text.length > cellLength ? `${text.slice(0, cellLength)}…` : text;
  return (
    <td className={isNumber ? 'number' : undefined} title={shown.length > 30 ? shown : undefined}>
      {shown}
    </td>
  );
}

/** The rows of an answer, with the types of its columns. */
export function AnswerTable({
  answer: { columns, rows },
  isOld,
}: {
  answer: QuestionAnswer;
  isOld: boolean;
}) {
  const [most, setMost] = useState(rowsAtOnce);
  const areNumbers = columns.map(({ type }) => kindOfType(type) === 'number');
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach the table to scroll it */}
      <section aria-label={words.ask.answer} aria-busy={isOld} tabIndex={0} className="answer">
        <table>
          <thead>
            <tr>
              {columns.map(({ name, type }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
                <th key={at} className={areNumbers[at] ? 'number' : undefined} title={`${name}: ${type}`}>
                  {name}
                  <small>{type.toLowerCase()}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows stay in their order
              <tr key={place}>
                {row.map((value, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their order
                  <Cell key={at} value={value} isNumber={areNumbers[at] ?? false} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > most && (
        <SmallButton onClick={() => setMost(most + rowsAtOnce)}>{words.common.more}</SmallButton>
      )}
    </>
  );
}
