package scan
import ("testing";"fmt";"os";"sellerd/translate")
func TestDbg(t *testing.T){
 p:=os.Getenv("DBG"); if p=="" {t.Skip()}
 table,_:=translate.New()
 s := &scanner{table: table, matcher: newMatcher(table, nil)}
 b,_:=os.ReadFile(p)
 _,lang:=kindOf(p,b)
 s.world=&world{scan:s,names:map[string][]farName{},funcs:map[string][]farFunction{},senders:map[string][]*sender{},evidence:map[string]bool{},hot:map[string]bool{}}
 f:=s.readText(kindSource,lang,&entryFile{path:p,name:p},string(b))
 s.sources=[]*source{f}
 s.prepare()
 for f.hints.evidence && s.world.findSenders(f){}
 for i,st:=range f.statements { n:=""; if st.fn!=nil {n=fmt.Sprint(st.fn.name,st.fn.params)}; fmt.Printf("%d d%d fn=%s | ",i,st.depth,n); pr(st.nodes); fmt.Println() }
 for k,v:=range s.world.senders { for _,x:=range v {tx,_:=x.before.flat(); fmt.Println("SENDER",k,x.path,tx,x.base,x.hint)}}
}
func pr(ns []node){ for _,n:=range ns { if n.token==nil { fmt.Print(string(n.open)); pr(n.kids); fmt.Print("^ ") } else if n.kind==tokenText { fmt.Printf("%q ",n.literal()) } else if n.kind!=tokenLine { fmt.Print(n.token.text," ") } } }
