import { words } from '../../words/en.ts';
import type { AskedColumn } from './columns.ts';

interface Props {
  columns: AskedColumn[];
  insert: (text: string) => void;
}

/** The columns of the view; a click puts one at the cursor. */
export const ColumnList = ({ columns, insert }: Props) => (
  <ul className="question-columns" aria-label={words.ask.columns}>
    {columns.map(({ sql, kind }) => (
      <li key={sql}>
        <button type="button" title={words.ask.insert(sql)} onClick={() => insert(sql)}>
          {sql} <small>{words.ask.kinds[kind]}</small>
        </button>
      </li>
    ))}
  </ul>
);
