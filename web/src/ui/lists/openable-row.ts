import type { MouseEvent } from 'react'

/**
 * Props of a row or card: a click anywhere on it presses its button with `data-opens-row`, which
 * stays the only stop for the keyboard. Other controls of the row keep their own clicks.
 */
export const openableRow = {
  'data-openable': true,
  onClick: ({ target, currentTarget }: MouseEvent<HTMLElement>) => {
    if (target instanceof Element && target.closest('button, a, input, select, label, summary')) return
    // The end of a text selection is no click on the row.
    if (window.getSelection()?.isCollapsed === false) return
    const opener = currentTarget.querySelector<HTMLElement>('[data-opens-row]')
    opener?.focus()
    opener?.click()
  },
}
