/** A clip of the demo organisation. Its points share its length equally. */
export interface Clip {
  file: string
  title: string
  seconds: number
  /** They are also the English captions. */
  points: readonly string[]
  /** The points in other languages, by language tag. */
  translations?: Readonly<Record<string, readonly string[]>>
  /** The description of the picture for people who do not see it. */
  descriptions?: readonly string[]
}

export interface Playlist {
  title: string
  description: string
  /** The key of the sound, in Hz. */
  tonic: number
  clips: readonly Clip[]
}

export const programme: readonly Playlist[] = [
  {
    title: 'Welcome and safety',
    description: 'Your first day on site: find your way, stay safe, and know who to ask.',
    tonic: 261.63,
    clips: [
      {
        file: 'your-first-day.webm',
        title: 'Your first day',
        seconds: 12,
        points: [
          'Sign in at reception and wear your badge',
          'Your supervisor is your first contact',
          'Ask early: every question is welcome',
        ],
        translations: {
          de: [
            'Melden Sie sich am Empfang an und tragen Sie Ihren Ausweis',
            'Ihre Führungskraft ist Ihr erster Kontakt',
            'Fragen Sie früh: Jede Frage ist willkommen',
          ],
        },
        descriptions: [
          'A page with three lines. The first line is marked.',
          'The second line is marked. A bar below fills.',
          'The third line is marked. The bar is nearly full.',
        ],
      },
      {
        file: 'exits-and-assembly-point.webm',
        title: 'Exits and assembly point',
        seconds: 15,
        points: [
          'Know the two exits nearest to you',
          'Leave by the stairs, never by the lift',
          'Stay at the assembly point until you are counted',
        ],
      },
      {
        file: 'a-safe-workplace.webm',
        title: 'A safe workplace',
        seconds: 10,
        points: [
          'Keep walkways and exits clear',
          'Adjust chair and screen before you start',
          'Report a near miss the same day',
        ],
      },
    ],
  },
  {
    title: 'Customer conversations',
    description: 'How to open, hold and close a conversation so that the customer is glad of the call.',
    tonic: 293.66,
    clips: [
      {
        file: 'opening-well.webm',
        title: 'Opening well',
        seconds: 15,
        points: [
          'Greet, say your name, offer help',
          'Let the customer finish first',
          'Repeat the concern in your own words',
        ],
      },
      {
        file: 'listening-under-pressure.webm',
        title: 'Listening under pressure',
        seconds: 20,
        points: [
          'Slow down when the voice gets louder',
          'Name the problem, not the person',
          'Promise only what you can keep',
        ],
      },
      {
        file: 'closing-with-a-next-step.webm',
        title: 'Closing with a next step',
        seconds: 15,
        points: [
          'Say what happens next, and by when',
          'Ask whether anything is still open',
          'Write the note before the next call',
        ],
      },
    ],
  },
  {
    title: 'Data protection basics',
    description: 'What personal data is, how to handle it, and what to do when something goes wrong.',
    tonic: 246.94,
    clips: [
      {
        file: 'what-counts-as-personal-data.webm',
        title: 'What counts as personal data',
        seconds: 15,
        points: [
          'Anything that points to a living person',
          'Names, numbers, voices, locations',
          'Health and beliefs need extra care',
        ],
      },
      {
        file: 'handling-data-with-care.webm',
        title: 'Handling data with care',
        seconds: 24,
        points: [
          'Collect only what the task needs',
          'Lock the screen when you step away',
          'Check the recipient before you send',
        ],
      },
      {
        file: 'when-something-goes-wrong.webm',
        title: 'When something goes wrong',
        seconds: 18,
        points: ['Tell your supervisor at once', 'Do not delete or hide anything', 'Note what happened and when'],
      },
    ],
  },
  // Not a playlist of the demo: its clips of some minutes stand in others.
  {
    title: 'Before the audit',
    description: 'Clips of some minutes.',
    tonic: 277.18,
    clips: [
      {
        file: 'the-day-of-the-audit.webm',
        title: 'The day of the audit',
        seconds: 180,
        points: [
          'Auditors see records, not opinions',
          'A record says who watched what, and when',
          'Finish your tasks before the day begins',
          'Answer what you are asked, and stop',
          'Say so when you do not know',
          'Show the place where you look it up',
          'Keep your desk and screen clear',
          'Lead visitors; they do not walk alone',
          'Tell your supervisor what was noted',
        ],
      },
      {
        file: 'a-round-of-the-building.webm',
        title: 'A round of the building',
        seconds: 120,
        points: [
          'Begin at reception, where visitors sign in',
          'Both staircases lead to the yard',
          'Fire doors stay closed, never wedged',
          'Extinguishers hang beside each lift',
          'First aid is in the kitchen of each floor',
          'The assembly point is behind the car park',
        ],
      },
    ],
  },
]
