/**
 * Loads another address, such as that of the sign-in provider. The browser's Back does not return
 * to the page. Tests replace `to`.
 */
export const leavePage = {
  to: (url: string): void => window.location.replace(url),
}
