export interface CalendarEvent {
  uid: string
  title: string
  organizer: string
  start: Date
  /** Minutes. */
  duration: number
}

/** An iCalendar invitation (RFC 5545). */
export function toCalendar(event: CalendarEvent): string {
  const end = new Date(event.start.getTime() + event.duration * 60_000)
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//demo//agenda//PT',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    `UID:${event.uid}`,
    `DTSTAMP:${stamp(event.start)}`,
    `DTSTART:${stamp(event.start)}`,
    `DTEND:${stamp(end)}`,
    `SUMMARY:${event.title}`,
    `ORGANIZER:mailto:${event.organizer}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')
}

function stamp(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d{3}/g, '')
}
