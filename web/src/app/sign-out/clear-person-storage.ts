import { clearStoredDrafts } from '../../features/chat/window/chat-drafts.ts'

/**
 * Removes what a person wrote or looked at in this browser, for whoever uses it next. Unsent
 * messages and reports stay until the person signs in here again; so do settings, such as sound.
 */
export function clearPersonStorage(personId: string): void {
  clearStoredDrafts(personId)
  try {
    // Drafts of comments and playlists, and the open chat windows of this tab.
    window.sessionStorage.clear()
  } catch {
    // Without storage there is nothing to remove.
  }
}
