import { Injectable } from '@angular/core';
import { HttpClient, HttpParams } from '@angular/common/http';
import { environment } from '../environments/environment';

@Injectable({ providedIn: 'root' })
export class DelcampeService {
  private readonly base = environment.delcampeUrl;

  constructor(private readonly http: HttpClient) {}

  buyer(id: number): Observable<string> {
    return this.http.get(`${this.base}/item/${id}/buyer`, { responseType: 'text' });
  }

  rate(id: number, feedback: number, comment: string): Observable<unknown> {
    const body = new HttpParams().set('feedback', feedback).set('comment', comment);
    return this.http.post(`${this.base}/item/${id}/feedback`, body);
  }

  settings(): Observable<string> {
    return this.http.get(this.url('/notification/settings'), { responseType: 'text' });
  }

  addSetting(type: string, destination: string) {
    return this.http.post(this.url('/notification/settings'), { notificationType: type, destination });
  }

  private url(path: string): string {
    return this.base + path;
  }
}
