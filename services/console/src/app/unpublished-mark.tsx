import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { profileQuery } from '../api/profile.ts';
import { useKeptDraft } from '../pages/schema/kept-draft.ts';
import { words } from '../words/en.ts';

/** Tells that the user has a draft of the schema. */
export function UnpublishedMark({ domain }: { domain: string }) {
  const { data: user } = useQuery(profileQuery);
  return user && <Mark key={user.username} domain={domain} username={user.username} />;
}

function Mark({ domain, username }: { domain: string; username: string }) {
  const [draft] = useKeptDraft(domain, username);
  return (
    draft && (
      <Text span size="xs" c="dimmed" ml="auto">
        {words.schema.unpublished}
      </Text>
    )
  );
}
