import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { profileQuery } from '../../api/profile.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { Card, Cards } from '../../components/cards.tsx';
import { choicesOf } from '../../components/choices.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { Unread } from '../../components/loading.tsx';
import { submits } from '../../components/submits.ts';
import { useAct } from '../../components/use-act.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { SettingsSection } from './settings-section.tsx';

const { owner: _, ...memberRoles } = words.members.roles;
const roleChoices = choicesOf(memberRoles);

/** Shares an application with a user, or changes the user's role. */
function share(domain: string, username: string, role: string) {
  const init = { params: { path: { domain, username } }, body: { role: role as Schemas['MemberRole'] } };
  return dataOf(client.PUT('/api/applications/{domain}/members/{username}', init));
}

export function Members() {
  const { domain } = useApplication();
  const isOwner = useMay('owner');
  const { data, error, refetch } = useQuery({
    queryKey: ['members', domain],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/api/applications/{domain}/members', { params: { path: { domain } }, signal })),
  });
  return (
    <SettingsSection title={words.members.title} text={words.members.text}>
      {isOwner && data && <Invitation key={data.length} />}
      {(error || !data) && <Unread error={error} retry={refetch} />}
      <Cards>
        {data?.map((member) => (
          <MemberCard key={member.username} member={member} />
        ))}
      </Cards>
    </SettingsSection>
  );
}

function Invitation() {
  const { domain } = useApplication();
  const invite = useMutation({
    mutationFn: (fields: FormData) =>
      share(domain, String(fields.get('username')), String(fields.get('role'))),
  });
  return (
    <Group component="form" onSubmit={submits(invite.mutate)} align="flex-end">
      <TextInput
        name="username"
        label={words.members.username}
        required
        autoComplete="off"
        error={invite.error?.message}
      />
      <NativeSelect name="role" label={words.members.role} data={roleChoices} />
      <SubmitButton loading={invite.isPending}>{words.members.invite}</SubmitButton>
    </Group>
  );
}

function MemberCard({ member: { username, role, since } }: { member: Schemas['Member'] }) {
  const { domain } = useApplication();
  const isOwner = useMay('owner');
  const { data: user } = useQuery(profileQuery);
  const isSelf = user?.username === username;
  const [act, navigate] = [useAct(), useNavigate()];
  async function remove() {
    const params = { path: { domain, username } };
    await dataOf(client.DELETE('/api/applications/{domain}/members/{username}', { params }));
    if (isSelf) await navigate('/applications');
  }
  return (
    <Card
      actions={
        role !== 'owner' &&
        (isOwner || isSelf) && (
          <>
            {isOwner && (
              <NativeSelect
                aria-label={words.members.roleOf(username)}
                data={roleChoices}
                value={role}
                onChange={({ currentTarget: { value } }) => act(() => share(domain, username, value))}
              />
            )}
            <ConfirmButton
              label={isSelf ? words.members.leave : words.members.remove}
              title={isSelf ? words.members.leaveTitle : words.members.removeMember(username)}
              question={isSelf ? words.members.leaveText : words.members.removeText(username)}
              color="red"
              onConfirm={() => act(remove)}
            />
          </>
        )
      }
    >
      <Text fw={600}>{username}</Text>
      <Text size="sm">{words.members.since(words.members.roles[role], since)}</Text>
    </Card>
  );
}
