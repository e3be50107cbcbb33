import { Modal, Stack, Switch, Table, Text } from '@mantine/core'
import { shortcuts } from './shortcuts.ts'
import { blockedKeysText } from './use-blocked-keys.ts'

interface ShortcutHelpProps {
  opened: boolean
  enabled: boolean
  onChange: (enabled: boolean) => void
  onClose: () => void
}

/** The player's keys, and the switch that turns them off. */
export function ShortcutHelp({ opened, enabled, onChange, onClose }: ShortcutHelpProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <Switch
          label="Use keyboard shortcuts in the player"
          checked={enabled}
          onChange={event => onChange(event.currentTarget.checked)}
        />
        <Table aria-label="Keyboard shortcuts">
          <Table.Tbody>
            {Object.values(shortcuts).map(({ shown, label }) => (
              <Table.Tr key={shown}>
                <Table.Td>
                  <kbd>{shown}</kbd>
                </Table.Td>
                <Table.Td>{label}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text size="sm" c="dimmed">
          {blockedKeysText}
        </Text>
      </Stack>
    </Modal>
  )
}
