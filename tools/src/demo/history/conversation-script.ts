import type { PlaylistKey } from '../playlists.ts'
import type { DemoCalendar } from './timeline.ts'

export interface DemoReview {
  action: 'approve' | 'reject'
  words: string
  /** ms */
  at: number
}

export interface DemoComment {
  by: string
  playlist: PlaylistKey
  videoId: string
  second: number
  text: string
  /** ms */
  at: number
  /** Without one the comment waits for its review. */
  review?: DemoReview
  /** The supervisor approves replies of trainees. */
  replies?: readonly { by: string; text: string; at: number }[]
}

export interface DemoMessage {
  from: string
  to: string
  text: string
  /** ms */
  at: number
}

export const listComments = ({ day, minutesAgo }: DemoCalendar): DemoComment[] => [
  {
    by: 'trainee2',
    playlist: 'welcome',
    videoId: 'exits-and-assembly-point',
    second: 6,
    text: 'Is the exit behind the canteen open at night too?',
    at: day(25, '10:20'),
    review: { action: 'approve', words: 'Yes. It opens from the inside at any time.', at: day(25, '13:05') },
    replies: [
      { by: 'trainee4', text: 'I tried it last week: it works.', at: day(24, '09:15') },
      { by: 'supervisor1', text: 'Thank you for checking. Please close it behind you.', at: day(24, '09:40') },
    ],
  },
  {
    by: 'trainee4',
    playlist: 'welcome',
    videoId: 'a-safe-workplace',
    second: 4,
    text: 'Who adjusts the chairs in the shared office?',
    at: day(24, '10:25'),
    review: {
      action: 'approve',
      words: 'Facilities. Write to them, and they come the same day.',
      at: day(24, '11:30'),
    },
  },
  {
    by: 'trainee6',
    playlist: 'calls',
    videoId: 'opening-well',
    second: 3,
    text: 'Boring.',
    at: day(15, '10:05'),
    review: {
      action: 'reject',
      words: 'Please write what we should change. Then I can pass it on.',
      at: day(15, '14:00'),
    },
  },
  {
    by: 'trainee1',
    playlist: 'calls',
    videoId: 'listening-under-pressure',
    second: 11,
    text: 'What can I do if the caller does not stop?',
    at: day(17, '10:30'),
    review: { action: 'approve', words: 'Offer to call back within the hour, and do it.', at: day(17, '12:10') },
    replies: [{ by: 'trainee1', text: 'Thank you, that helped today.', at: day(16, '15:45') }],
  },
  {
    by: 'trainee7',
    playlist: 'wholeCourse',
    videoId: 'handling-data-with-care',
    second: 9,
    text: 'Does this also hold for the screen at the counter?',
    at: day(8, '10:40'),
    review: { action: 'approve', words: 'Yes, also when you leave for a minute only.', at: day(8, '11:20') },
  },
  {
    by: 'trainee9',
    playlist: 'calls',
    videoId: 'closing-with-a-next-step',
    second: 12,
    text: 'Where do we write the note?',
    at: day(15, '10:35'),
    review: { action: 'approve', words: 'In the customer’s file, below the last call.', at: day(14, '09:00') },
  },
  {
    by: 'trainee13',
    playlist: 'customers',
    videoId: 'opening-well',
    second: 8,
    text: 'Adınızı söylemek gerçekten çok işe yarıyor.',
    at: day(26, '10:20'),
    review: { action: 'approve', words: 'Teşekkürler!', at: day(26, '12:00') },
  },
  {
    by: 'trainee20',
    playlist: 'dataProtection',
    videoId: 'what-counts-as-personal-data',
    second: 7,
    text: 'Is a voice recording without a name personal data?',
    at: day(25, '10:30'),
    review: { action: 'approve', words: 'Yes, because people can recognise the voice.', at: day(25, '15:20') },
  },
  {
    by: 'supervisor1',
    playlist: 'wholeCourse',
    videoId: 'your-first-day',
    second: 2,
    text: 'Write down my extension now: 4417.',
    at: day(9, '09:30'),
  },
  {
    by: 'trainee8',
    playlist: 'wholeCourse',
    videoId: 'your-first-day',
    second: 10,
    text: '名札を忘れたときは、どこに行けばいいですか。',
    at: day(1, '17:10'),
  },
  {
    by: 'trainee4',
    playlist: 'refresher',
    videoId: 'exits-and-assembly-point',
    second: 12,
    text: 'Who counts us when our supervisor is on leave?',
    at: minutesAgo(45),
  },
]

export const listMessages = ({ day, minutesAgo }: DemoCalendar): DemoMessage[] => [
  { from: 'trainee1', to: 'supervisor1', text: 'Can I watch the clips from home?', at: day(20, '09:50') },
  { from: 'supervisor1', to: 'trainee1', text: 'Yes, with the same account.', at: day(20, '10:10') },
  { from: 'trainee1', to: 'supervisor1', text: 'Thank you!', at: day(20, '10:12') },
  {
    from: 'supervisor1',
    to: 'trainee1',
    text: 'The refresher is ready. Please watch it before the audit on Friday.',
    at: minutesAgo(85),
  },
  {
    from: 'trainee5',
    to: 'supervisor1',
    text: 'The second clip about calls does not count as done.',
    at: day(6, '11:00'),
  },
  {
    from: 'supervisor1',
    to: 'trainee5',
    text: 'You skipped from 0:04 to 0:09. Open the playlist again and choose “Watch what is missing”.',
    at: day(6, '11:30'),
  },
  { from: 'trainee5', to: 'supervisor1', text: 'I see it now. I will do it today.', at: minutesAgo(20) },
  {
    from: 'supervisor1',
    to: 'trainee3',
    text: 'You are two playlists behind. Do you need another hour a week?',
    at: day(2, '09:20'),
  },
  { from: 'supervisor2', to: 'trainee11', text: 'Is everything all right with your account?', at: day(3, '14:00') },
  { from: 'trainee11', to: 'supervisor2', text: 'Yes, I was ill. I start again on Monday.', at: day(2, '08:45') },
  {
    from: 'supervisor1',
    to: 'manager1',
    text: 'Two people need more time for the whole course.',
    at: day(5, '13:00'),
  },
  { from: 'manager1', to: 'supervisor1', text: 'Agreed. Two more weeks are fine.', at: day(5, '13:40') },
  {
    from: 'supervisor2',
    to: 'manager1',
    text: 'Can my team get the refresher a week later?',
    at: minutesAgo(75),
  },
  { from: 'manager1', to: 'director1', text: 'The first course is nearly done in both teams.', at: day(17, '16:00') },
  { from: 'director1', to: 'manager1', text: 'Well done. Please share the figures on Thursday.', at: day(16, '08:30') },
  {
    from: 'manager2',
    to: 'director1',
    text: 'I asked for one more supervisor this morning. The request waits for the administrator.',
    at: minutesAgo(78),
  },
]
