import { afterEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type Role, roles } from '@watchline/contracts/people'
import { Introduction } from '../../src/features/introduction/introduction.tsx'
import { introductionTexts } from '../../src/features/introduction/introduction-texts.ts'
import { openIntroduction } from '../../src/ui/frame/frame-commands.ts'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { renderScreen } from '../support/render.tsx'

const user = userEvent.setup()
afterEach(() => {
  cleanup()
  window.localStorage.clear()
})

const renderFor = (personId: string, role: Role = 'user') =>
  renderScreen(
    <ChoiceOwner value={personId}>
      <main tabIndex={-1}>
        <Introduction role={role} />
      </main>
    </ChoiceOwner>,
  )
const findCard = () => screen.findByRole('region', { name: 'About this screen' })

describe('the introduction of a dashboard', () => {
  test.each(roles)('has three lines for the role %s', async role => {
    renderFor('person1', role)
    const lines = within(await findCard()).getAllByRole('listitem')
    expect(lines.map(line => line.textContent)).toEqual([...introductionTexts[role]])
  })

  test('is dismissed once for each person', async () => {
    renderFor('person1')
    await user.click(await screen.findByRole('button', { name: 'Got it' }))
    expect(screen.queryByRole('region')).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('main'))
    cleanup()
    renderFor('person1')
    expect(screen.queryByRole('region')).toBeNull()
    cleanup()
    renderFor('person2')
    expect(await findCard()).toBeTruthy()
  })

  test('is opened again from the menu, and takes the focus', async () => {
    renderFor('person1')
    await user.click(await screen.findByRole('button', { name: 'Got it' }))
    act(() => openIntroduction.send())
    expect(document.activeElement).toBe(await findCard())
  })
})
