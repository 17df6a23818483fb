// Prints, as JSON, what an independent reader makes of the calendar at an address: node read.js ADDRESS
import ICAL from "ical.js";

const answer = await fetch(process.argv[2]);
const calendar = new ICAL.Component(ICAL.parse(await answer.text()));
const events = calendar.getAllSubcomponents("vevent").map((component) => {
  const event = new ICAL.Event(component, { strictExceptions: true });
  return {
    uid: event.uid, start: event.startDate.toString(), day: event.startDate.isDate, zone: event.startDate.zone.tzid, end: event.endDate.toString(),
    summary: event.summary, description: event.description, stamp: component.getFirstPropertyValue("dtstamp").toString(),
    url: component.getFirstPropertyValue("url"),
  };
});
console.log(JSON.stringify({ version: calendar.getFirstPropertyValue("version"), name: calendar.getFirstPropertyValue("x-wr-calname"), events }));
