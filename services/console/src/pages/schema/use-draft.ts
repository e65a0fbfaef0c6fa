import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { formatJson } from '../../json/place.ts';
import { pauseMs, problemsOf } from '../../schema-form/problems.ts';
import { useHistory } from '../../schema-form/use-history.ts';
import { useApplication } from '../application/use-application.ts';
import { type Base, type KeptDraft, useKeptDraft } from './kept-draft.ts';

/** A schema that was sent as an object has no line breaks. */
export const readable = (raw: string) => (raw.trim().includes('\n') ? raw : formatJson(raw));

const toBase = ({ version, raw_schema }: Schemas['Template']): Base => ({
  version,
  text: readable(raw_schema),
});

/** The schema in the editor, and the report of the API after each pause. */
export function useDraft(username: string) {
  const { domain, template } = useApplication();
  const [draft, keep, forget] = useKeptDraft(domain, username);
  const become = (next: KeptDraft | undefined) => (next ? keep(next) : forget());
  const steps = useHistory(draft, become);
  const inForce = useMemo(() => toBase(template), [template]);
  const { base, text } = draft ?? { base: inForce, text: inForce.text };
  const [settled] = useDebouncedValue(text, pauseMs);
  const isChanged = text !== base.text;
  const isKnown = isChanged && settled === text;
  const { data, error, refetch } = useQuery({
    queryKey: ['schema-report', domain, base.version, settled],
    queryFn: ({ signal }) => {
      const params = { path: { domain }, query: { dry_run: true } };
      const body = { schema: settled };
      return dataOf(client.POST('/api/applications/{domain}/schemas', { params, body, signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: isKnown,
  });
  const report = isKnown ? data : undefined;
  const failure = isKnown ? error : null;
  const problems = useMemo(() => problemsOf(text, report?.warnings, failure), [text, report, failure]);

  const setText = (next: string, place?: string) =>
    next !== text && steps.write(next === base.text ? undefined : { base, text: next }, place);

  /** A draft of the version that is in force now; undefined if it has the same text. */
  const draftOf = (application: Schemas['Application'], text: string): KeptDraft | undefined => {
    const made = toBase(application.template);
    return text === made.text ? undefined : { base: made, text };
  };

  /** What undo and redo lead to are changes of this version from now on. */
  function begin(application: Schemas['Application']) {
    queryClient.setQueryData(applicationQuery(domain).queryKey, application);
    steps.map((step) => draftOf(application, (step ?? base).text));
  }
  return {
    domain,
    username,
    version: base.version,
    text,
    /** `place`: where is typed. */
    setText,
    steps,
    isChanged,
    /** Undefined until the API has reported. */
    changes: report?.changes,
    report,
    failure,
    problems,
    retry: refetch,
    take: (raw: string) => setText(readable(raw)),
    discard: () => steps.write(undefined),
    /** Leaves the draft for the version in force; undo leads back to it. */
    load(application: Schemas['Application']) {
      steps.write(undefined);
      begin(application);
    },
    published(application: Schemas['Application'], schema: string) {
      begin(application);
      // What was typed meanwhile is a draft.
      become(text === schema ? undefined : draftOf(application, text));
    },
  };
}

export type SchemaDraft = ReturnType<typeof useDraft>;
