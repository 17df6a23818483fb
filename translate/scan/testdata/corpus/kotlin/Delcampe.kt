package shop

import okhttp3.OkHttpClient
import okhttp3.Request

class Delcampe(private val base: String = "https://rest.delcampe.net") {
    private val client = OkHttpClient()

    fun item(id: Long): String = call("GET", "/item/$id")

    fun close(id: Long) = call("DELETE", "/item/${id}")

    fun sold(): String {
        val url = "$base/item/auction/sold?numberOfItems=50"
        return client.newCall(Request.Builder().url(url).build()).execute().body!!.string()
    }

    private fun call(method: String, path: String): String {
        val request = Request.Builder().url(base + path).method(method, null).build()
        return client.newCall(request).execute().use { it.body!!.string() }
    }
}
