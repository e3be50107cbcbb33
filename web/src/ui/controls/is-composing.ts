/**
 * Whether the key belongs to the composition of a character, which Enter and Escape only end.
 * Safari ends the composition before that key, and shows it by the key code alone.
 */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229
}
