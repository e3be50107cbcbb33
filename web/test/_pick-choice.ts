import { screen } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'

/** Picks from a field whose list opens below it, once both have loaded. */
export async function pickChoice(user: UserEvent, field: string, choice: string): Promise<void> {
  await user.click(await screen.findByRole('combobox', { name: field }))
  await user.click(await screen.findByRole('option', { name: choice }))
}
