import { Kbd, Modal, Table } from '@mantine/core';
import { words } from '../words/en.ts';

/** The keys that pages know. */
export const KeysDialog = ({ isOpen, close }: { isOpen: boolean; close: () => void }) => (
  <Modal opened={isOpen} onClose={close} title={words.keyboard.title}>
    <Table fz="sm">
      <Table.Tbody>
        {Object.entries(words.keyboard.keys).map(([keys, does]) => (
          <Table.Tr key={keys}>
            <Table.Td style={{ whiteSpace: 'nowrap' }}>
              {keys.split(' ').map((key) => (
                <Kbd key={key} mr={4}>
                  {key}
                </Kbd>
              ))}
            </Table.Td>
            <Table.Td>{does}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Modal>
);
