import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { RefusedGroup } from '../../api/refused.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { chooseMend, type Mend, whyFirst } from './choose-mend.ts';
import { SchemaMend } from './schema-mend.tsx';
import { suggestSchema } from './suggest.ts';
import { suggestChange } from './suggest-change.ts';
import { UploadsMend } from './uploads-mend.tsx';
import { useConforming } from './use-conforming.ts';
import { useValues } from './use-values.ts';

interface Props {
  group: RefusedGroup;
  onStarted: (replayId: string) => void;
}

/** What the uploads of a group do, in words. Only at the root does each of them have the object that lacks a property. */
const ruleOf = ({ path, keyword, property }: RefusedGroup): string[] => {
  const isMissing = path === '' && keyword === 'required' && property !== undefined;
  return isMissing ? words.refused.lack(property) : words.refused.breakRule;
};

/** Both mends of a group with their outcomes, the one that fits what is stored first. */
export function Mends({ group, onStarted }: Props) {
  const { domain, template } = useApplication();
  const { data: values } = useValues(group);
  const { conformingOf, error } = useConforming();
  const conforming = conformingOf(group);
  if (error) return <ErrorAlert error={error} />;
  if (!values || !conforming) return <Loading />;
  const change = suggestChange(group, values, template.raw_schema);
  const fix = suggestSchema(group, values, template.raw_schema);
  const known = { group, values, change, fix, isUsual: conforming.isUsual };
  const first = chooseMend(known);
  const why = words.refused.because[whyFirst(known)];
  const of = (mend: Mend) => ({
    group,
    onStarted,
    isPrimary: first === mend || first === 'schema',
  });
  const both: Record<Mend, ReactNode> = {
    uploads: (
      <MendCard key="uploads" title={words.refused.uploadsMend} why={first === 'uploads' ? why : undefined}>
        <UploadsMend {...of('uploads')} suggested={change} />
      </MendCard>
    ),
    schema: (
      <MendCard key="schema" title={words.refused.schemaMend} why={first === 'schema' ? why : undefined}>
        {fix ? <SchemaMend {...of('schema')} fix={fix} /> : <Text>{words.refused.noFix}</Text>}
        <SmallButton component={Link} to={`/applications/${domain}/schema?rehearse=refused`} variant="subtle">
          {words.refused.otherSchema}
        </SmallButton>
      </MendCard>
    ),
  };
  const second = first === 'schema' ? 'uploads' : 'schema';
  return (
    <Stack gap="xs" component="section" aria-label={words.refused.mends}>
      <Text>{words.refused.breaking(conforming, ruleOf(group))}</Text>
      <div className="mends">
        {both[first]}
        {both[second]}
      </div>
    </Stack>
  );
}

function MendCard({ title, why, children }: { title: string; why: string | undefined; children: ReactNode }) {
  return (
    <Paper component="article" withBorder p="sm" aria-label={title} data-first={why ? true : undefined}>
      <Stack gap="xs">
        <Group gap="xs" justify="space-between">
          <Title order={3}>{title}</Title>
          {why && (
            <Badge variant="light" tt="none">
              {words.refused.fits}
            </Badge>
          )}
        </Group>
        {why && <Text c="dimmed">{why}</Text>}
        {children}
      </Stack>
    </Paper>
  );
}
