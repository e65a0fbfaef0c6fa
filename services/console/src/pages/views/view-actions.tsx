import { ActionIcon, Menu, Modal, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type Application, may } from '../../api/applications.ts';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { profileQuery } from '../../api/profile.ts';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { Form } from '../../components/form.tsx';
import { Icon } from '../../components/icons.tsx';
import { useAct } from '../../components/use-act.ts';
import { words } from '../../words/en.ts';

type SavedView = Schemas['SavedView'];

interface Props {
  application: Application;
  view: SavedView;
}

const path = '/api/applications/{domain}/views/{id}';

/** A menu that renames, shares and deletes a view. Editors alone change shared ones. */
export function ViewActions({ application, view: { id, name, query, shared, createdBy } }: Props) {
  const { data: user } = useQuery(profileQuery);
  const [isRenaming, renaming] = useDisclosure();
  const [isDeleting, deleting] = useDisclosure();
  const isEditor = may(application, 'editor');
  const params = { path: { domain: application.domain, id } };
  const change = (changed: { name?: string; shared?: boolean }) =>
    dataOf(client.PUT(path, { params, body: { name, query, shared, ...changed } }));
  const share = useAct(() => change({ shared: !shared }));
  const remove = useAct(() => dataOf(client.DELETE(path, { params })));
  if (shared && !isEditor) return null;
  const mayShare = shared ? createdBy === user?.username : isEditor;
  async function rename(changed: { name: string }) {
    await change(changed);
    renaming.close();
  }
  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label={words.views.actionsOf(name)}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={renaming.open}>{words.views.rename}</Menu.Item>
          {mayShare && (
            <Menu.Item onClick={() => share.mutate()}>
              {shared ? words.views.unshare : words.views.share}
            </Menu.Item>
          )}
          <Menu.Item onClick={deleting.open}>{words.common.delete}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isRenaming} onClose={renaming.close} title={words.views.renameOf(name)}>
        <Form<{ name: string }> act={rename} submit={words.views.rename}>
          {(fault) => (
            <TextInput
              name="name"
              label={words.views.name}
              defaultValue={name}
              required
              maxLength={100}
              data-autofocus
              error={fault('/name') ?? fault()}
            />
          )}
        </Form>
      </Modal>
      <ConfirmDialog
        opened={isDeleting}
        close={deleting.close}
        title={words.views.deleteOf(name)}
        question={words.views.deleteText}
        label={words.common.delete}
        color="red"
        onConfirm={() => remove.mutate()}
      />
    </>
  );
}
