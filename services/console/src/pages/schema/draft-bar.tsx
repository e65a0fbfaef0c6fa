import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { RequestFailure } from '../../api/failure.ts';
import { queryClient } from '../../api/query-client.ts';
import { ActButton, SmallButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { focusUndo } from '../../schema-form/step-buttons.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { PublishDialog } from './publish-dialog.tsx';
import type { Rehearsal } from './rehearsals.tsx';
import { Report } from './report.tsx';
import type { SchemaDraft } from './use-draft.ts';
import { versionsQuery } from './versions-query.ts';

interface Props {
  draft: SchemaDraft;
  rehearsal: Rehearsal;
}

/** What the draft would change, and what to do with it. It stays in view. */
export function DraftBar({ draft, rehearsal }: Props) {
  const { domain, version, text, changes } = draft;
  const { template } = useApplication();
  const [isAsking, setIsAsking] = useState(false);
  const publish = useMutation({
    mutationFn: ({ schema, note }: { schema: string; note: string }) =>
      dataOf(
        client.POST('/api/applications/{domain}/schemas', {
          params: { path: { domain } },
          body: { schema, if_version: version, ...(note && { note }) },
        }),
      ),
    onSuccess: ({ application }, { schema }) => {
      if (!application) return;
      draft.published(application, schema);
      showSuccess(words.schema.published(application.template.version));
      focusUndo();
    },
  });
  const { error } = publish;
  const isRefused = error instanceof RequestFailure && error.status === 409;
  const isOutdated = isRefused || template.version > version;
  return (
    <section className="draft-bar" aria-label={words.schema.report}>
      {isOutdated && <Outdated draft={draft} />}
      {error && !isRefused && <ErrorAlert error={error} />}
      <Group justify="space-between" align="start" gap="xs">
        <Report draft={draft} />
        <Group gap="xs">
          <SmallButton
            onClick={() => {
              draft.discard();
              focusUndo();
            }}
          >
            {words.schema.discard}
          </SmallButton>
          <ActButton act={rehearsal.start}>{words.schema.rehearse}</ActButton>
          <Button disabled={!changes} loading={publish.isPending} onClick={() => setIsAsking(true)}>
            {words.schema.publish}
          </Button>
        </Group>
      </Group>
      <PublishDialog
        draft={draft}
        opened={isAsking}
        close={() => setIsAsking(false)}
        publish={(note) => publish.mutate({ schema: text, note })}
      />
    </section>
  );
}

/** Who published what the draft does not know: undefined until that is read. */
function useIsOwn({ domain, version, username }: SchemaDraft): boolean | undefined {
  const { data } = useQuery(versionsQuery(domain));
  const later = data?.filter((each) => each.version > version) ?? [];
  return later.length > 0 ? later.every(({ createdBy }) => createdBy === username) : undefined;
}

function Outdated({ draft }: { draft: SchemaDraft }) {
  const { domain, load } = draft;
  const isOwn = useIsOwn(draft);
  const by = isOwn === undefined ? 'unknown' : isOwn ? 'own' : 'others';
  async function loadNewest() {
    load(await queryClient.fetchQuery({ ...applicationQuery(domain), staleTime: 0 }));
    focusUndo();
  }
  return (
    <Alert color="orange" title={words.schema.outdated[by]} role="alert" mb="xs">
      <Text mb="xs">{words.schema.outdatedText}</Text>
      <ActButton act={loadNewest}>{words.schema.loadNewest}</ActButton>
    </Alert>
  );
}
