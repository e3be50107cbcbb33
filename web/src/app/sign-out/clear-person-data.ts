import { clearResponses } from '../../api/response-cache.ts'
import { clearStoredDrafts } from '../../features/chat/window/chat-drafts.ts'
import { announceSignOut } from './other-tabs.ts'

/**
 * Removes what a person wrote or looked at in this tab, because somebody else may use it next.
 * Unsent messages and reports stay until the person signs in here again; so do settings.
 */
export function clearPersonData(personId: string): void {
  clearStoredDrafts(personId)
  clearResponses()
  try {
    // Drafts of comments and playlists, and the open chat windows of this tab.
    window.sessionStorage.clear()
  } catch {
    // Without storage there is nothing to remove.
  }
}

/** Clears this tab, and informs the other tabs of this browser that the session has ended. */
export function clearPersonDataInAllTabs(personId: string): void {
  clearPersonData(personId)
  announceSignOut(personId)
}
