import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import { formatJson } from '../../json/format.ts';
import type { Problem } from '../../json/json-editor.tsx';
import { placeOfMessage } from '../../json/place.ts';
import { useApplication } from '../application/use-application.ts';
import { reportQuery } from './schemas.ts';

const pauseMs = 500;

/** The version that the draft began with. */
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

function problemsOf(text: string, warnings: string[] = [], failure: Error | null): Problem[] {
  const errors =
    failure instanceof ApiFailure && failure.kind === 'InvalidSchemaError' ? [failure.message] : [];
  return [
    ...errors.map((message) => ({ ...placeOfMessage(text, message), message, severity: 'error' as const })),
    ...warnings.map((message) => ({
      ...placeOfMessage(text, message),
      message,
      severity: 'warning' as const,
    })),
  ];
}

interface Written {
  base: Base;
  text: string;
}

const keyOf = (domain: string) => `sluice.schema.${domain}`;

/** What was written and not published yet, in this tab of the browser. */
function readWritten(domain: string): Written | undefined {
  const kept = sessionStorage.getItem(keyOf(domain));
  return kept === null ? undefined : JSON.parse(kept);
}

/** A schema that is being written, and what the API says of it after each pause. */
export function useDraft() {
  const { domain, template } = useApplication();
  const [written] = useState(() => readWritten(domain));
  const [base, setBase] = useState(() => written?.base ?? toBase(template));
  const [text, setText] = useState(written?.text ?? base.text);
  const [settled] = useDebouncedValue(text, pauseMs);
  const isChanged = text !== base.text;
  const isSettled = settled === text;
  useEffect(() => {
    if (isChanged) sessionStorage.setItem(keyOf(domain), JSON.stringify({ base, text }));
    else sessionStorage.removeItem(keyOf(domain));
  }, [domain, isChanged, base, text]);
  const { data, error } = useQuery({
    ...reportQuery(domain, base.version, settled),
    enabled: isChanged && isSettled,
  });
  const isKnown = isChanged && isSettled;
  const report = isKnown ? data : undefined;
  const failure = isKnown ? error : null;
  const problems = useMemo(() => problemsOf(text, report?.warnings, failure), [text, report, failure]);
  return {
    domain,
    version: base.version,
    text,
    setText,
    isChanged,
    /** Undefined while it is not known. */
    changes: report?.changes,
    failure,
    problems,
    /** Writes what an earlier version has, to publish it again. */
    take: (raw: string) => setText(readable(raw)),
    /** Begins again with the version in force. */
    load(template: Schemas['Template']) {
      setBase(toBase(template));
      setText(readable(template.raw_schema));
    },
    /** That text was published as that version. */
    published: (version: number, text: string) => setBase({ version, text }),
  };
}

export type Draft = ReturnType<typeof useDraft>;
