/** Leaves the product for another website, such as the sign-in provider. Tests replace `to`. */
export const leavePage = {
  to: (url: string): void => window.location.assign(url),
}
