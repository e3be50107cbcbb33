import type { UserEvent } from '@testing-library/user-event'

/** Pastes a text at the end of a field. Typing it would render the form once for each key. */
export async function enterText(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.click(field)
  await user.paste(text)
}
