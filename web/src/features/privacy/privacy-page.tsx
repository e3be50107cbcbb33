import type { ReactNode } from 'react'
import { describeKeptDays } from '../../ui/dates/kept-days.ts'
import { PublicPage } from '../../ui/frame/public-page.tsx'
import { FactsTable } from '../../ui/lists/facts-table.tsx'
import { type PrivacyNotice, usePrivacyNotice } from './use-privacy-notice.ts'

/**
 * Says what Watchline records, why, for whom and for how long; also for people who are not signed
 * in.
 */
export function PrivacyPage() {
  const notice = usePrivacyNotice()
  return (
    <PublicPage name="Privacy" heading="Privacy" isWide>
      <p>
        Watchline shows that people have watched the training that was assigned to them. It records only what it needs
        for this. When you are signed in, “What is recorded about me” in your menu shows all of it, and you can download
        it.
      </p>
      <RecordedData notice={notice} />
      <h2>Your rights</h2>
      <ul>
        <li>See and download everything: “What is recorded about me” in your menu.</li>
        <li>See who looked at your details: on the same page.</li>
        <li>Have your data corrected or erased: ask the contact below.</li>
      </ul>
      <YouTubeTerms />
      <Contact notice={notice} />
    </PublicPage>
  )
}

function RecordedData({ notice }: { notice: PrivacyNotice | null | undefined }) {
  const days = (kind: keyof PrivacyNotice['retention']) =>
    notice ? describeKeptDays(notice.retention[kind]).toLowerCase() : notice === null ? 'not known right now' : '…'
  const rows: [what: string, why: string, who: string, kept: string][] = [
    [
      'Name, email, picture, role and team',
      'to sign you in and show whose record it is',
      'your superiors and the people you can write to',
      'until you are erased',
    ],
    [
      'Watched seconds of each video, and when',
      'to show what is completed and what is missing',
      'you and your superiors',
      'until you are erased; then without your name',
    ],
    [
      'Attention checks: questions whether you are still watching',
      'so that only time with a viewer counts',
      'nobody; you and your superiors see how many had no answer in time',
      'until you watch another task',
    ],
    ['Where you stopped in a video', 'to go on from there', 'you', 'until you are erased'],
    [
      'Tasks, their due dates, exceptions, and every change of them with its author and reason',
      'to show what is due, and who changed it',
      'you and your superiors',
      'until you are erased; then without names and reasons',
    ],
    [
      'Groups that you are in',
      'to assign tasks to many people at once',
      'directors, administrators, and supervisors who may assign to the group; managers with a user in it see its name',
      'until you leave the group',
    ],
    [
      'Groups and roles from the sign-in provider',
      'to decide roles and teams by rules',
      'nobody',
      'a year after they last changed',
    ],
    ['Reports of your player', 'to check a disputed record', 'the operators', days('player_reports')],
    [
      'Monitored sessions: start and end',
      'so that time counts once',
      'you and your superiors, in a signed record',
      days('monitored_sessions'),
    ],
    [
      'Signed records and certificates',
      'to prove what you watched',
      'you, your superiors, and anyone to whom you give one',
      'until you are erased; then a seal without your name',
    ],
    [
      'Whether you are online, and the playlist that you watch',
      'so that superiors can help',
      'you and your superiors; all staff, if you are staff',
      'a few minutes',
    ],
    [
      'Comments and replies',
      'to discuss a video',
      'you, your team and your superiors; those of directors and administrators everybody who can watch the video; a rejected comment only you',
      `${days('comments')}, unless you delete them before`,
    ],
    ['Your answer to the notice about monitored sessions', 'to prove it', 'you', 'until you are erased'],
    ['Chat messages', 'to write to each other', 'you and the other person', days('messages')],
    ['Notifications', 'to tell you what happened', 'you', days('notifications')],
    [
      'Reports that staff save, and their recipients',
      'to send figures by mail',
      'their owner and their recipients',
      'until their owner deletes them',
    ],
    [
      'Mails, if the organisation sends them: kind, address, time and whether they arrived',
      'to send each reminder once',
      'you and administrators',
      days('notifications'),
    ],
    ['Mails that you chose, with their language', 'to send them so', 'you', 'until you are erased'],
    [
      'The time zone that you chose',
      'to time your mails, and due dates that count in it',
      'you; your superiors see it at such a due date',
      'until you are erased; due dates that were set in it keep it',
    ],
    ['Sign-ins: time, device and address', 'to find misuse', 'you', `${days('sign_ins')} after the end`],
    [
      'Who looked at somebody’s details',
      'so that everybody knows',
      'the person concerned and administrators',
      days('detail_views'),
    ],
    ['What administrators changed', 'to prove changes', 'administrators', days('audit_entries')],
  ]
  return (
    <>
      <h2>What is recorded</h2>
      <FactsTable label="What is recorded" columns={['What', 'Why', 'Who sees it', 'How long']} rows={rows} />
      <p>
        The table says who sees it on screens. Administrators can also download everything that is recorded about a
        person, and the person sees who did so.
      </p>
      <p>Cookies keep you signed in. There is no advertising and no tracking. Backups keep data until they expire.</p>
    </>
  )
}

function YouTubeTerms() {
  return (
    <>
      <h2>Videos from YouTube</h2>
      <p>
        Some videos play on YouTube, and Watchline uses YouTube API Services for their titles and lengths. When you play
        such a video, Google receives your network address and what your browser sends. By using these videos you agree
        to the <OutsideLink to="https://www.youtube.com/t/terms">YouTube Terms of Service</OutsideLink>. Google
        describes what it does with data in the{' '}
        <OutsideLink to="https://policies.google.com/privacy">Google Privacy Policy</OutsideLink>.
      </p>
    </>
  )
}

function Contact({ notice }: { notice: PrivacyNotice | null | undefined }) {
  return (
    <>
      <h2>Contact</h2>
      <p>
        {notice?.contact ?? 'Your administrator or your supervisor.'}
        {notice?.url ? (
          <>
            {' '}
            <OutsideLink to={notice.url}>Data protection in your organisation</OutsideLink>
          </>
        ) : null}
      </p>
    </>
  )
}

function OutsideLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}
