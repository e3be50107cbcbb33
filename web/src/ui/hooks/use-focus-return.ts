import { useLayoutEffect, useRef } from 'react'

/** The page is redrawn within this time. */
const redrawMs = 50

/**
 * Returns the focus to the opener of a dialog that closes, unless `isWanted` is false by then. It
 * replaces Mantine's own return of focus. That one does not know that closing a dialog also changes
 * the top one, and it looks for the opener too late if the dialog is open from its first rendering
 * or the device is slow. The element of the dialog needs `data-closing` while it is closed.
 */
export function useFocusReturn(opened: boolean, isWanted = true): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isWantedRef = useRef(isWanted)
  useLayoutEffect(() => {
    isWantedRef.current = isWanted
  }, [isWanted])
  useLayoutEffect(() => {
    if (!opened) return
    clearTimeout(timer.current)
    const target = document.activeElement
    if (!target) return
    const region = target.parentElement?.closest<HTMLElement>('[tabindex="-1"]')
    // The cleanup also runs when an action removes the dialog itself, or its opener.
    return () => {
      focusWhenDialogIsTop(target)
      timer.current = setTimeout(() => isWantedRef.current && returnFocus(target, region), redrawMs)
    }
  }, [opened])
}

/**
 * When the dialog below becomes the top one, Mantine focuses the element in it that is marked with
 * `data-autofocus`, however long that takes. The opener gets this mark from its first element.
 */
function focusWhenDialogIsTop(target: Element): void {
  const dialog = target.closest('[role="dialog"]')
  if (!dialog) return
  for (const element of dialog.querySelectorAll('[data-autofocus]')) element.removeAttribute('data-autofocus')
  target.setAttribute('data-autofocus', 'true')
}

/** Returns the focus to the opener, else into the open dialog, else to the region or the page. */
function returnFocus(target: Element, region: HTMLElement | null | undefined): void {
  const openDialog = [...document.querySelectorAll('[role="dialog"]')].find(dialog => !isClosing(dialog))
  const { activeElement } = document
  let focusTarget: Element | null = target
  if (openDialog && !openDialog.contains(target)) focusTarget = openDialog.contains(activeElement) ? null : openDialog
  // The page has moved the focus meanwhile, for example to the screen that a command opened.
  else if (!openDialog && activeElement && canHaveFocus(activeElement)) focusTarget = null
  else if (!canHaveFocus(target))
    focusTarget = region && canHaveFocus(region) ? region : document.getElementById('main')
  if (focusTarget instanceof HTMLElement) focusTarget.focus()
}

function canHaveFocus(element: Element): boolean {
  return element.isConnected && element !== document.body && !isClosing(element)
}

/** Whether the element is, or is inside, a closed dialog that is fading. */
function isClosing(element: Element): boolean {
  return element.closest('[data-closing]') !== null
}
