import { Drawer, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { client, dataOf, read } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Card, CardList } from '../../components/cards.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { Form } from '../../components/form.tsx';
import { MadeBy } from '../../components/made-by.tsx';
import { PageActions } from '../../components/page-actions.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';

const path = '/api/applications/{domain}/queries';

interface Props {
  /** The question of the editor. */
  sql: string;
  open: (sql: string) => void;
}

/** The questions with names, which the members of an application share, in a drawer. */
export function Saved({ sql, open }: Props) {
  const [isOpen, drawer] = useDisclosure();
  function choose(chosen: string) {
    drawer.close();
    open(chosen);
  }
  return (
    <>
      <PageActions>
        <SmallButton onClick={drawer.open}>{words.ask.saved}</SmallButton>
      </PageActions>
      <Drawer opened={isOpen} onClose={drawer.close} position="right" size="lg" title={words.ask.saved}>
        <List sql={sql} open={choose} />
      </Drawer>
    </>
  );
}

function List({ sql, open }: Props) {
  const { domain } = useApplication();
  const mayChange = useMay('editor');
  const params = { path: { domain } };
  const saved = useQuery(read(path, params));
  const save = ({ name }: { name: string }) => dataOf(client.POST(path, { params, body: { name, sql } }));
  const remove = (id: string) => dataOf(client.DELETE(`${path}/{id}`, { params: { path: { domain, id } } }));
  return (
    <Stack gap="md">
      {mayChange && (
        <Form<{ name: string }>
          act={save}
          submit={words.ask.save}
          disabled={!sql.trim()}
          variant="default"
          isInline
        >
          {(fault) => (
            <TextInput
              name="name"
              label={words.ask.savedName}
              required
              maxLength={100}
              error={fault('/name') ?? fault('/sql')}
            />
          )}
        </Form>
      )}
      <CardList query={saved} empty={<Text>{words.ask.noneSaved}</Text>}>
        {(each) => (
          <Card
            key={each.id}
            actions={
              mayChange && (
                <ConfirmButton
                  label={words.common.delete}
                  title={words.ask.deleteSaved(each.name)}
                  question={words.ask.deleteText}
                  color="red"
                  act={() => remove(each.id)}
                />
              )
            }
          >
            <Group gap="xs">
              <SmallButton onClick={() => open(each.sql)} title={each.sql}>
                {each.name}
              </SmallButton>
              <MadeBy at={each.createdAt} by={each.createdBy} />
            </Group>
          </Card>
        )}
      </CardList>
    </Stack>
  );
}
