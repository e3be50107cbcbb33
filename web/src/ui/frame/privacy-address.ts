/** The address of the privacy page, which needs no session. */
export const privacyAddress = '/?page=privacy'
