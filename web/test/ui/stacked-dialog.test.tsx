import { afterEach, expect, test } from '@jest/globals'
import { Modal } from '@mantine/core'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { StackedDialog } from '../../src/ui/stacked-dialog.tsx'
import { renderScreen } from '../support/render.tsx'

function TwoDialogs() {
  const [opened, setOpened] = useState(false)
  return (
    <Modal.Stack>
      <StackedDialog name="list" opened onClose={() => {}} title="List">
        <input aria-label="Search" data-autofocus />
        <button type="button" onClick={() => setOpened(true)}>
          Delete
        </button>
      </StackedDialog>
      <StackedDialog name="question" opened={opened} onClose={() => setOpened(false)} title="Delete?">
        <button type="button" onClick={() => setOpened(false)}>
          Cancel
        </button>
      </StackedDialog>
    </Modal.Stack>
  )
}

const { setTimeout } = globalThis
afterEach(() => {
  globalThis.setTimeout = setTimeout
  cleanup()
})

test('the focus returns to the opener, however late the dialog below takes it', async () => {
  const user = userEvent.setup()
  renderScreen(<TwoDialogs />)
  await user.click(await screen.findByRole('button', { name: 'Delete' }))
  const cancel = await screen.findByRole('button', { name: 'Cancel' })

  // Mantine takes the focus in timers without a delay; on a slow device they fire late.
  const late: (() => void)[] = []
  globalThis.setTimeout = ((callback: () => void, ms?: number) =>
    ms === undefined ? late.push(callback) : setTimeout(callback, ms)) as typeof setTimeout
  await user.click(cancel)
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Delete'))
  await waitFor(() => expect(late.length).toBeGreaterThan(0))
  for (const callback of late) callback()
  expect(document.activeElement?.textContent).toBe('Delete')
})
