import './schema-form.css';
import { json } from '@codemirror/lang-json';
import { Group, SegmentedControl } from '@mantine/core';
import { memo, type ReactNode, useRef, useState } from 'react';
import { CodeBlock } from '../components/code-block.tsx';
import { type EditorProblem, TextEditor } from '../editor/text-editor.tsx';
import { placeOfPath, type Range } from '../json/place.ts';
import { words } from '../words/en.ts';
import type { Form } from './form.ts';
import { completeKeyword } from './keywords.ts';
import { SchemaForm } from './schema-form.tsx';
import type { Path } from './shape.ts';
import { StepButtons } from './step-buttons.tsx';
import type { UndoSteps } from './use-history.ts';

const jsonLanguage = json();

type View = 'fields' | 'json';

interface Props {
  text: string;
  /** Undefined: it can only be read. `place`: where is typed. */
  onText?: (text: string, place?: string) => void;
  steps?: UndoSteps;
  problems?: EditorProblem[];
  facts?: Form['facts'] | undefined;
  /** Are marked at their fields. */
  changes?: Form['changes'] | undefined;
  firstView?: View;
  /** Beside the choice between the fields and the JSON. */
  children?: ReactNode;
}

/** A schema as fields, or as JSON: each shows what is edited in the other. */
export const SchemaEditor = memo(function SchemaEditor(props: Props) {
  const { text, onText, steps, problems, facts, changes, firstView = 'fields', children } = props;
  const area = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>(firstView);
  const [selected, setSelected] = useState<Range>();
  function show(path: Path) {
    setSelected(placeOfPath(text, path));
    setView('json');
  }
  const label = words.schema.schema;
  return (
    <div ref={area}>
      <Group gap="sm" className="schema-toolbar">
        <SegmentedControl<View>
          size="xs"
          aria-label={words.form.view}
          data={[
            { value: 'fields', label: words.form.fields },
            { value: 'json', label: words.form.json },
          ]}
          value={view}
          onChange={(next) => {
            setSelected(undefined);
            setView(next);
          }}
        />
        {children}
        {steps && <StepButtons steps={steps} area={area} />}
      </Group>
      {view === 'fields' && (
        <SchemaForm
          {...{ text, show, facts, changes }}
          isReadOnly={!onText}
          edit={(change, place) => onText?.(change(text), place)}
        />
      )}
      {view === 'json' &&
        (onText ? (
          <TextEditor
            value={text}
            onChange={(next) => onText(next, 'json')}
            label={label}
            language={jsonLanguage}
            complete={completeKeyword}
            selected={selected}
            isUndoneOutside
            {...(problems && { problems })}
          />
        ) : (
          <CodeBlock code={text} label={label} />
        ))}
    </div>
  );
});
