import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { client, dataOf, read, type Schemas } from '../../api/client.ts';
import { profileQuery } from '../../api/profile.ts';
import { Card, CardList } from '../../components/cards.tsx';
import { choicesOf } from '../../components/choice.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { Form } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { useAct } from '../../components/use-act.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';

const { owner: _, ...memberRoles } = words.members.roles;
const roleChoices = choicesOf(memberRoles);

/** Shares an application with a user, or changes the user's role. */
function share(domain: string, { username, role }: { username: string; role: string }) {
  const init = { params: { path: { domain, username } }, body: { role: role as Schemas['MemberRole'] } };
  return dataOf(client.PUT('/api/applications/{domain}/members/{username}', init));
}

export function Members() {
  const { domain } = useApplication();
  const isOwner = useMay('owner');
  const members = useQuery(read('/api/applications/{domain}/members', { path: { domain } }));
  return (
    <Section isSettings title={words.members.title} text={words.members.text}>
      {isOwner && members.data && <Invitation />}
      <CardList query={members}>{(member) => <MemberCard key={member.username} member={member} />}</CardList>
    </Section>
  );
}

function Invitation() {
  const { domain } = useApplication();
  const invite = (fields: { username: string; role: string }) => share(domain, fields);
  return (
    <Form act={invite} submit={words.members.invite} variant="default" isInline>
      {(fault) => (
        <>
          <TextInput
            name="username"
            label={words.members.username}
            required
            autoComplete="off"
            error={fault()}
          />
          <NativeSelect name="role" label={words.members.role} data={roleChoices} />
        </>
      )}
    </Form>
  );
}

function MemberCard({ member: { username, role, since } }: { member: Schemas['Member'] }) {
  const { domain } = useApplication();
  const isOwner = useMay('owner');
  const { data: user } = useQuery(profileQuery);
  const isSelf = user?.username === username;
  const navigate = useNavigate();
  const change = useAct((role: string) => share(domain, { username, role }));
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
                onChange={({ currentTarget }) => change.mutate(currentTarget.value)}
              />
            )}
            <ConfirmButton
              label={isSelf ? words.members.leave : words.common.remove}
              title={isSelf ? words.members.leaveTitle : words.members.removeMember(username)}
              question={isSelf ? words.members.leaveText : words.members.removeText(username)}
              color="red"
              act={remove}
            />
          </>
        )
      }
    >
      <Text fw={600}>{username}</Text>
      <Text>{words.members.since(words.members.roles[role], since)}</Text>
    </Card>
  );
}
