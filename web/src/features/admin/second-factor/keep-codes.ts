const title = 'Watchline recovery codes'

function textOf(codes: readonly string[]): string {
  return [title, `${window.location.origin}/admin`, 'Each code is valid once.', '', ...codes, ''].join('\n')
}

export function saveCodes(codes: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([textOf(codes)], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'watchline-recovery-codes.txt'
  link.click()
  URL.revokeObjectURL(url)
}

/** Prints the codes alone, from a frame that is removed afterwards. */
export function printCodes(codes: readonly string[]): void {
  const frame = document.createElement('iframe')
  // Some browsers print nothing of a frame that is not displayed.
  Object.assign(frame.style, { position: 'fixed', width: '0', height: '0', border: '0' })
  frame.ariaHidden = 'true'
  document.body.append(frame)
  const { contentDocument: page, contentWindow } = frame
  if (!page || !contentWindow) {
    frame.remove()
    return
  }
  const text = page.createElement('pre')
  text.textContent = textOf(codes)
  page.title = title
  page.body.append(text)
  contentWindow.addEventListener('afterprint', () => frame.remove())
  contentWindow.print()
}
