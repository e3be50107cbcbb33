import type { Role } from '@watchline/contracts/people'

/** The purpose of each role's first screen, in three lines. */
export const introductionTexts: Record<Role, readonly [string, string, string]> = {
  user: [
    'Today’s task is on top: press its button to watch. Your position and your credited time are saved as you go.',
    'A video counts when you have watched nearly all of it. The strip shows what is missing; you can go back to it.',
    'Ask in a comment at the second you mean, or write to your supervisor in the chat.',
  ],
  supervisor: [
    'The cards on top show who waits for you, who is stuck and who is done. Press a name for the details.',
    'The tasks menu and the playlists tab hold what you can assign to your team, and where you make new playlists.',
    'The bell holds the comments of your team that need your answer.',
  ],
  manager: [
    'Your supervisors and their teams are listed here. Request a supervisor; an administrator decides.',
    'Share a playlist with your supervisors. They assign it to their teams.',
    'Team analytics compares the teams and says how far each person is.',
  ],
  director: [
    'You see everybody. Narrow the people to a manager, a team or a role, and group them.',
    'The engagement tab compares the teams and exports the figures as CSV.',
    'You can assign playlists to anybody, and chat with managers.',
  ],
  admin: [
    'The figures on top filter the list of people. Manage changes a person’s role and team.',
    'Managers request supervisors from you. Requests wait in the managers tab and in the bell.',
    'Settings show whether sign-in and database work, and keep the audit log of every change.',
  ],
}
