import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { formatJson } from '../../json/place.ts';
import { pauseMs, problemsOf } from '../../schema-form/problems.ts';
import { useApplication } from '../application/use-application.ts';

interface Base {
  version: number;
  text: string;
}

/** A schema that was sent as an object has no line breaks. */
const readable = (raw: string) => (raw.trim().includes('\n') ? raw : formatJson(raw));

const toBase = ({ version, raw_schema }: Schemas['Template']): Base => ({
  version,
  text: readable(raw_schema),
});

interface Written {
  base: Base;
  text: string;
}

const keyOf = (domain: string) => `sluice.schema.${domain}`;

/** The text that was written in this tab and is not published yet. */
function readWritten(domain: string): Written | undefined {
  const kept = sessionStorage.getItem(keyOf(domain));
  return kept === null ? undefined : JSON.parse(kept);
}

/** The schema in the editor, and the report of the API after each pause. */
export function useDraft() {
  const { domain, template } = useApplication();
  const [written] = useState(() => readWritten(domain));
  const [base, setBase] = useState(() => written?.base ?? toBase(template));
  const [text, setText] = useState(written?.text ?? base.text);
  const [settled] = useDebouncedValue(text, pauseMs);
  const isChanged = text !== base.text;
  useEffect(() => {
    if (isChanged) sessionStorage.setItem(keyOf(domain), JSON.stringify({ base, text }));
    else sessionStorage.removeItem(keyOf(domain));
  }, [domain, isChanged, base, text]);
  const isKnown = isChanged && settled === text;
  const { data, error } = useQuery({
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
  return {
    domain,
    version: base.version,
    text,
    setText,
    isChanged,
    /** Undefined until the API has reported. */
    changes: report?.changes,
    report,
    failure,
    problems,
    take: (raw: string) => setText(readable(raw)),
    load(template: Schemas['Template']) {
      setBase(toBase(template));
      setText(readable(template.raw_schema));
    },
    published: (version: number, text: string) => setBase({ version, text }),
  };
}

export type SchemaDraft = ReturnType<typeof useDraft>;
