import { afterEach, expect, test } from '@jest/globals'
import { Modal } from '@mantine/core'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useEffect, useRef, useState } from 'react'
import { DrawerBelowDialogs, StackedDialog } from '../../../src/ui/controls/stacked-dialog.tsx'
import { renderScreen } from '../../support/render.tsx'

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

test('the focus returns to the opener, even if the dialog below takes it late', async () => {
  const user = userEvent.setup()
  renderScreen(<TwoDialogs />)
  await user.click(await screen.findByRole('button', { name: 'Delete' }))
  const cancelButton = await screen.findByRole('button', { name: 'Cancel' })

  // Mantine takes the focus in timers without a delay; on a slow device they fire late.
  const lateCallbacks: (() => void)[] = []
  globalThis.setTimeout = ((callback: () => void, ms?: number) =>
    ms === undefined ? lateCallbacks.push(callback) : setTimeout(callback, ms)) as typeof setTimeout
  await user.click(cancelButton)
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Delete'))
  await waitFor(() => expect(lateCallbacks.length).toBeGreaterThan(0))
  for (const callback of lateCallbacks) callback()
  expect(document.activeElement?.textContent).toBe('Delete')
})

/** Takes the focus before the effects of the elements around it run. */
function EagerField() {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return <input ref={field} aria-label="Name" />
}

function ButtonWithDrawer() {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpened(true)}>
        Open
      </button>
      <DrawerBelowDialogs opened={opened} onClose={() => setOpened(false)} title="Person">
        <EagerField />
      </DrawerBelowDialogs>
    </>
  )
}

test('the focus returns to the opener of a drawer whose content took the focus at once', async () => {
  const user = userEvent.setup()
  renderScreen(<ButtonWithDrawer />)
  await user.click(await screen.findByRole('button', { name: 'Open' }))
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Close'))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Open'))
})
