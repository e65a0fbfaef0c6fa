import './ask.css';
import type { EditorView } from '@codemirror/view';
import { Stack, Text } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { useMemo, useRef } from 'react';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { TextEditor } from '../../editor/text-editor.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { faultOf } from './answer.ts';
import { AnswerView } from './answer-view.tsx';
import { ColumnList } from './column-list.tsx';
import { columnsToAsk } from './columns.ts';
import { firstQuestion } from './examples.ts';
import { QuestionBar } from './question-bar.tsx';
import { Saved } from './saved.tsx';
import { completeSql, sqlLanguage } from './sql-language.ts';
import { useQuestion } from './use-question.ts';

/** Questions in SQL over the entries of an application. */
export function Page() {
  const { domain } = useApplication();
  return <Ask key={domain} />;
}

function Ask() {
  const { domain, template } = useApplication();
  const [sql, setSql] = useSessionStorage({
    key: `sluice.ask.${domain}`,
    defaultValue: firstQuestion,
    getInitialValueInEffect: false,
  });
  const editor = useRef<EditorView>(undefined);
  const columns = useMemo(() => columnsToAsk(template.schema as Record<string, unknown>), [template]);
  const complete = useMemo(() => completeSql(columns), [columns]);
  const question = useQuestion(domain);
  const { answered, failure, failed } = question;
  const fault = useMemo(
    () => (failed === undefined ? undefined : faultOf(failed, failure)),
    [failed, failure],
  );
  const problems = useMemo(
    () => (fault && failed === sql ? [{ ...fault, severity: 'error' as const }] : []),
    [fault, failed, sql],
  );
  function insert(text: string) {
    const view = editor.current as EditorView;
    view.dispatch(view.state.replaceSelection(text), { userEvent: 'input' });
    view.focus();
  }
  function run(asked: string) {
    setSql(asked);
    if (asked.trim()) question.run(asked);
  }
  return (
    <Stack gap="sm">
      <div className="question">
        <TextEditor
          value={sql}
          onChange={setSql}
          label={words.ask.question}
          language={sqlLanguage}
          complete={complete}
          problems={problems}
          onRun={() => run(sql)}
          editor={editor}
        />
        <ColumnList columns={columns} insert={insert} />
      </div>
      <QuestionBar {...{ sql, columns, run }} isRunning={question.isRunning} cancel={question.cancel} />
      {failure && fault && (
        <Text role="alert" c="var(--mantine-color-error)" style={{ whiteSpace: 'pre-wrap' }}>
          {failure.message}
        </Text>
      )}
      {failure && !fault && <ErrorAlert error={failure} onRetry={() => failed && run(failed)} />}
      {answered && !failure && <AnswerView {...answered} isOld={question.isRunning} />}
      <Saved sql={sql} open={run} />
    </Stack>
  );
}
