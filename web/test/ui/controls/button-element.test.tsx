import { afterEach, expect, test } from '@jest/globals'
import { Button, TextInput } from '@mantine/core'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderScreen } from '../../support/render.tsx'

const user = userEvent.setup()
afterEach(cleanup)

test.each([
  { state: 'loads', props: { loading: true } },
  { state: 'is only marked as disabled', props: { 'data-disabled': true } },
])('a button that $state can have the focus and ignores clicks', async ({ props }) => {
  const clicks: string[] = []
  renderScreen(
    <Button {...props} onClick={() => clicks.push('click')}>
      Save
    </Button>,
  )
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
  expect(button.disabled).toBe(false)
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await user.tab()
  expect(document.activeElement).toBe(button)
  await user.keyboard('{Enter} ')
  await user.click(button)
  expect(clicks).toEqual([])
})

test('a submit button that loads does not send its form, by Enter in a field either', async () => {
  const submissions: string[] = []
  renderScreen(
    <form
      onSubmit={event => {
        event.preventDefault()
        submissions.push('submit')
      }}
    >
      <TextInput label="Name" />
      <Button>Plain</Button>
      <Button type="submit" loading>
        Send
      </Button>
    </form>,
  )
  await user.type(screen.getByLabelText('Name'), 'a{Enter}')
  await user.click(screen.getByRole('button', { name: 'Send' }))
  await user.click(screen.getByRole('button', { name: 'Plain' }))
  expect(submissions).toEqual([])
})

test('a disabled button is disabled, and a button that is a link stays a link', () => {
  renderScreen(
    <>
      <Button disabled>Save</Button>
      <Button component="a" href="/privacy">
        Privacy
      </Button>
    </>,
  )
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
  expect(screen.getByRole('link', { name: 'Privacy' }).getAttribute('href')).toBe('/privacy')
})
