/** Key of the change version behind the ETag of a person's notifications. */
export const notificationsVersion = (personId: string) => `notifications:${personId}`
