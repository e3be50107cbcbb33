import type { ComponentPropsWithRef, MouseEvent } from 'react'

type ButtonElementProps = ComponentPropsWithRef<'button'> & {
  /** Set by Mantine's `loading`. */
  'data-loading'?: unknown
  /**
   * Set by Mantine's `disabled`. Set without `disabled`, the button looks disabled and keeps the
   * focus.
   */
  'data-disabled'?: unknown
}

/**
 * The default element of Mantine's `Button`. A browser takes the focus from an element that becomes
 * disabled, so a button that loads, or that is only marked with `data-disabled`, ignores clicks
 * instead.
 */
export function ButtonElement({ type = 'button', disabled, onClick, ...button }: ButtonElementProps) {
  const isLoading = Boolean(button['data-loading'])
  const isInert = isLoading || Boolean(button['data-disabled'])

  function click(event: MouseEvent<HTMLButtonElement>) {
    // A submit button would send its form.
    if (isInert) event.preventDefault()
    else onClick?.(event)
  }

  return (
    <button
      {...button}
      type={type}
      disabled={disabled && !isLoading}
      aria-disabled={isInert || button['aria-disabled']}
      onClick={click}
    />
  )
}
